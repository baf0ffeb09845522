import { queryOptions } from '@tanstack/react-query'

/** The texts of all docs are loaded with the first search. */
export const foundInDocs = (words: string, most: number) =>
  queryOptions({
    queryKey: ['docs', 'found', words, most],
    queryFn: async () => (await import('./docs-index.ts')).findInDocs(words, most),
    enabled: words !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
