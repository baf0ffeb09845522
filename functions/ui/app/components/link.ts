const linkBy = (url: unknown, protocols: readonly string[]): string | undefined => {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocols.includes(protocol) ? href : undefined
}

/** An address that may be followed: http and https, nothing that runs. */
export const linkOf = (url: string | undefined): string | undefined => linkBy(url, ['http:', 'https:'])

/** An address that what others wrote may lead to: https alone. */
export const secureLinkOf = (url: unknown): string | undefined => linkBy(url, ['https:'])
