export const languages = { curl: 'curl', typescript: 'TypeScript', cli: 'CLI' } as const
export type Language = keyof typeof languages

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(languages, value)
