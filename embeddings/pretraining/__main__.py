"""The command line of pretraining: ``python -m embeddings.pretraining``."""

from sts.command_line import run_tool


def main() -> None:
    """Train the bundled vectors."""
    from embeddings.pretraining import bundled_vectors

    bundled_vectors.main()


if __name__ == "__main__":
    run_tool(main)
