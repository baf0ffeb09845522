export const languages = { node: 'Node', python: 'Python', go: 'Go' } as const
export type Language = keyof typeof languages

/** The signature headers that a snippet verifies. */
export const ways = { standard: 'Standard Webhooks', simple: 'X-Svc-Signature' } as const
export type Way = keyof typeof ways

export type VerifySearch = { language?: Language | undefined; way?: Way | undefined }

const isNameIn = (names: object, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(names, value)
export const isLanguage = (value: unknown): value is Language => isNameIn(languages, value)
export const isWay = (value: unknown): value is Way => isNameIn(ways, value)
