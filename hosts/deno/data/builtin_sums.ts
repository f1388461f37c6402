/**
 * The SHA-256 of the built-in data. They are part of the program: whoever can write to the user's data folder could replace sums
 * there together with the files.
 */
import type { BuiltinName } from "../../../datasets/procedural/builtin_data.ts";

/** The sums of the files of each built-in data set, as `builtin_cache.ts` keeps them. A test fails, and says the right ones, where they are outdated. */
export const BUILTIN_SUMS: Readonly<Record<BuiltinName, Readonly<Record<string, string>>>> = {
  mnist: {
    "train-images-idx3-ubyte": "5a2b63e5dac564cec18975238aac6388f2541451769c8752025b5abaddb49609",
    "train-labels-idx1-ubyte": "5dbd7686910cb66a8a6303f16940c2fae43896243c187897cd3976aab00f4817",
    "test-images-idx3-ubyte": "2f2abef56d478a8da09b139c9de5cdb679048dca70eafac42f0892796fa57149",
    "test-labels-idx1-ubyte": "2e0e8968130b2f6e95667d5c172ff722d2e55b61e94e4564d214ebb2254150be",
  },
  faces: {
    "train-images-idx3-ubyte": "14f0b15e27e12202537084ad2b85c93b2e415fa763c3b15117935dbb34c77a0f",
    "test-images-idx3-ubyte": "f81f653f5aebe25026afe3f4e6472fea95206a95a2bacb9bc3407d19eb07d711",
  },
  "faces-colour": {
    "train-images-idx3-ubyte": "5fc98d239a935ac58595a50216fdd5b2d09d07ee2d459db19632909909299126",
    "test-images-idx3-ubyte": "050dee84eeced96ab5649a9b267e8e74df8ebf69f8c8e38dd54b7655a39e354f",
  },
  objects: {
    "train-images-idx3-ubyte": "58733796bd295e4fac0e7dd2f2e015ee98a54b9ea27887420d7818853b6238b6",
    "train-labels-idx1-ubyte": "2100ede8ec0aa4a14b1af6492a32824a12123bb9fb6b9767fd9aa58bb761a5f9",
    "test-images-idx3-ubyte": "a437d5fd31cdfdf7f39d2f347342e009704e1c4f28bfc2df7195f8dfb2da6001",
    "test-labels-idx1-ubyte": "b7d447c4dfc75b9323b7bc1e62cf826085da88c16f1d080fe3968b4695d94f62",
  },
};
