"""What the papers say of training sentence vectors, examined on labelled pairs of PAWS-Wiki."""
