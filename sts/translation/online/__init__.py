"""Translators on the network: engines, requests, retries and budgets."""
