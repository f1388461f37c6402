/** The data sets that can be fetched, with the hashes of their files. */

/** Files to fetch, with their lengths and hashes. */
export interface Download {
  /** URLs of folders that hold the files, tried in turn. */
  readonly mirrors: readonly string[];
  /** In the order of fetching. Training images are last: a folder without them counts as an unfinished download. */
  readonly files: readonly DownloadFile[];
}

/** One file: its length in bytes, and their SHA-256 in hexadecimal. */
export interface DownloadFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** What follows the name in its address, such as "?signature". Messages leave it out: it may be a right to read. */
  readonly query?: string;
}

/** The data sets that `data pull` can fetch, by name. */
export const DOWNLOADS: Readonly<Record<string, Download>> = {
  mnist: {
    mirrors: [
      "https://storage.googleapis.com/cvdf-datasets/mnist/",
      "https://ossci-datasets.s3.amazonaws.com/mnist/",
    ],
    files: [
      {
        name: "t10k-labels-idx1-ubyte.gz",
        bytes: 4542,
        sha256: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
      },
      {
        name: "t10k-images-idx3-ubyte.gz",
        bytes: 1648877,
        sha256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
      },
      {
        name: "train-labels-idx1-ubyte.gz",
        bytes: 28881,
        sha256: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
      },
      {
        name: "train-images-idx3-ubyte.gz",
        bytes: 9912422,
        sha256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
      },
    ],
  },
};
