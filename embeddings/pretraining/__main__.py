"""The command line of pretraining: ``python -m embeddings.pretraining``."""

from embeddings.pretraining.bundled_vectors import main
from sts.command_line import run_tool

if __name__ == "__main__":
    run_tool(main)
