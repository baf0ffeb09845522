const linkWithProtocol = (url: unknown, protocols: readonly string[]): string | undefined => {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocols.includes(protocol) ? href : undefined
}

/** An address that may be followed: http and https, nothing that runs. */
export const safeLink = (url: string | undefined): string | undefined =>
  linkWithProtocol(url, ['http:', 'https:'])

/** An address that what others wrote may lead to: https alone. */
export const httpsLink = (url: unknown): string | undefined => linkWithProtocol(url, ['https:'])
