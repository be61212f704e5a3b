"""The commands of mining, a file each: its options, its examples, and what it does."""
