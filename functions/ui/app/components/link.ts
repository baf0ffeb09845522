const linkWithProtocol = (url: unknown, protocols: readonly string[]): string | undefined => {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocols.includes(protocol) ? href : undefined
}

/** Accepts http and https; rejects `javascript:` and the like. */
export const safeLink = (url: string | undefined): string | undefined =>
  linkWithProtocol(url, ['http:', 'https:'])

/** For URLs from external content: https only. */
export const httpsLink = (url: unknown): string | undefined => linkWithProtocol(url, ['https:'])
