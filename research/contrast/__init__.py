"""Labelled pairs that look alike: read from data sets, generated, and balanced for training."""
