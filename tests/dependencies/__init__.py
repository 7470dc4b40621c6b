"""`python -m tests.dependencies`: are the pinned packages free of known vulnerabilities (SECURITY 55)?"""
