/** The files of the built page by path, `assets/main-4f2a.js`. */
export type PageFiles = {
  /**
   * A file in the first of these encodings that the build made, else uncompressed; undefined for a missing file, as in a
   * clone without a build.
   */
  read(name: string, encodings: readonly PageEncoding[]): Promise<PageFile | undefined>
}

/** The encodings of the compressed copies that the build makes, smallest first. */
export const PAGE_ENCODINGS = ['br', 'gzip'] as const
export type PageEncoding = (typeof PAGE_ENCODINGS)[number]

export type PageFile = {
  content: Uint8Array
  encoding: PageEncoding | undefined
  /** Differs when the bytes differ. */
  tag: string
}
