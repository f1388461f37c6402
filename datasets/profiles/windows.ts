/**
 * Window sides of the local score machine by step, most noise first, for 20 steps of the cosine schedule. They were fitted to
 * trained networks by Kamb and Ganguli ("An analytic theory of creativity in convolutional diffusion models", ICML 2025), whose
 * repository `Kambm/convolutional_diffusion` lists them.
 */
export const CALIBRATED_WINDOWS = {
  "mnist-unet": [27, 25, 23, 23, 21, 17, 15, 13, 11, 9, 9, 9, 7, 7, 7, 5, 5, 3, 3, 3],
  "mnist-resnet": [15, 15, 15, 15, 15, 13, 11, 11, 11, 11, 9, 9, 7, 7, 7, 5, 5, 5, 3, 3],
  "fashion-unet": [25, 25, 25, 25, 23, 21, 15, 15, 13, 11, 11, 11, 9, 7, 7, 7, 5, 5, 3, 3],
  "cifar10-unet": [25, 17, 15, 13, 13, 11, 9, 9, 7, 7, 7, 7, 5, 5, 5, 5, 3, 3, 3, 3],
  "celeba-unet": [27, 19, 13, 9, 9, 9, 7, 7, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3],
  "celeba-resnet": [19, 19, 15, 13, 11, 11, 11, 9, 9, 9, 7, 7, 5, 5, 5, 5, 5, 3, 3, 3],
} as const satisfies Readonly<Record<string, readonly number[]>>;
