"""The paper's runs beside the paper's figures, and recorded results made again."""
