"""What another language does beside English: what is shared, found and told apart across them."""
