"""The encoder: word pieces in, scores of all heads out; decoding into tags, trees and lemmas."""
