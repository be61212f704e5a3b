"""Speed, measured side by side in one run and quoted as a ratio."""
