/** The page as it was built: files by their path, `assets/main-4f2a.js`. */
export type PageFiles = {
  /**
   * A file in the first of these encodings that it was built in, else as it is; undefined when there is none, as in a clone
   * that nothing was built in.
   */
  read(name: string, encodings: readonly PageEncoding[]): Promise<PageFile | undefined>
}

/** In which the build leaves compressed copies; the smaller ones first. */
export const PAGE_ENCODINGS = ['br', 'gzip'] as const
export type PageEncoding = (typeof PAGE_ENCODINGS)[number]

export type PageFile = {
  content: Uint8Array
  encoding: PageEncoding | undefined
  /** Another one for other bytes. */
  tag: string
}
