"""Measures of sets of images by their published formulas, in numpy: an independent check of the metrics.

Takes the number of pixels of an image, and three files of their bytes, image after image: generated, training and held-out images.
Prints the scores as JSON.
"""
import json
import sys

import numpy as np

x, y, z = (np.fromfile(path, np.uint8).reshape(-1, int(sys.argv[1])) / 255 for path in sys.argv[2:5])


def principal(parts, of):
    """Coordinates along all principal components of the images `of`: as many as images less one, or pixels."""
    center = of.mean(axis=0)
    _, _, axes = np.linalg.svd(of - center, full_matrices=False)
    return [(part - center) @ axes.T for part in parts]


def frechet(a, b):
    """Heusel et al. (2017): S T has the eigenvalues of R T R, where R is the symmetric root of S."""
    s, t = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    values, axes = np.linalg.eigh(s)
    root = axes * np.sqrt(np.where(values > 1e-12 * values.max(), values, 0)) @ axes.T
    products = np.linalg.eigvalsh(root @ t @ root)
    roots = np.sqrt(np.where(products > 1e-12 * products.max(), products, 0)).sum()
    return np.sum((a.mean(0) - b.mean(0)) ** 2) + np.trace(s) + np.trace(t) - 2 * roots


def kid(a, b):
    """Binkowski et al. (2018): the unbiased estimate with the cubic kernel."""
    kernel = lambda p, q: (p @ q.T / p.shape[1] + 1) ** 3
    within = lambda p: (kernel(p, p).sum() - np.trace(kernel(p, p))) / (len(p) * (len(p) - 1))
    return within(a) + within(b) - 2 * kernel(a, b).mean()


def vendi(a):
    """Friedman and Dieng (2023): the exponential of the entropy of the eigenvalues of K / n, K of cosines."""
    unit = a / np.linalg.norm(a, axis=1, keepdims=True)
    values = np.linalg.eigvalsh(unit @ unit.T / len(a))
    values = values[values > 1e-15]
    return np.exp(-(values * np.log(values)).sum())


def log_densities(squared, features, log_variances):
    variances = np.exp(log_variances)
    return -squared / (2 * variances) - features / 2 * np.log(2 * np.pi * variances)


def log_mean_exp(rows):
    most = rows.max(axis=1, keepdims=True)
    return (most + np.log(np.exp(rows - most).mean(axis=1, keepdims=True)))[:, 0]


def fld(made, learned, tested):
    """Jiralerspong et al. (2023), without its constant: variances by 50 steps of EM, at least 1e-4."""
    deviation = learned.std(axis=0)
    varying = deviation > 0
    made, learned, tested = ((part - learned.mean(0))[:, varying] / deviation[varying] for part in (made, learned, tested))
    features = made.shape[1]
    squared, of_tested = (((part[:, None] - made[None]) ** 2).sum(-1) for part in (learned, tested))
    logs = np.full(len(made), np.log(squared.mean() / features))
    for _ in range(50):
        densities = log_densities(squared, features, logs)
        weights = np.exp(densities - densities.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        variances = (weights * squared).sum(axis=0) / (features * np.maximum(weights.sum(axis=0), 1e-300))
        logs = np.log(np.maximum(variances, 1e-4))
    return -100 / features * log_mean_exp(log_densities(of_tested, features, logs)).mean()


fx, fy = principal([x, y], np.concatenate([x, y]))
print(json.dumps({
    "frechet": frechet(fx, fy),
    "kernel-distance": kid(x, y),
    "vendi": vendi(x),
    "feature-likelihood": fld(x, y, z),
}))
