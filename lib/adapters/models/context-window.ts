/** Of models of which nothing is known. */
export const DEFAULT_CONTEXT_TOKENS = 128_000

/** Tokens of well-known models, by what their names begin with; where members of a family differ, the least. */
const WINDOWS: Readonly<Record<string, number>> = {
  'claude-': 200_000,
  'gpt-5': 400_000,
  'gpt-5-chat': 128_000,
  'gpt-4.1': 1_047_576,
  'gpt-oss': 131_072,
  o3: 200_000,
  'o4-mini': 200_000,
  'gemini-': 1_048_576,
  'grok-4': 256_000,
  'command-a': 256_000,
  'llama-3.3': 131_072,
  'sonar-pro': 200_000,
}

const LONGEST_FIRST = Object.entries(WINDOWS).sort(([a], [b]) => b.length - a.length)

/** The context window of a well-known model in tokens; a vendor before its name does not matter. */
export const knownContextTokens = (model: string): number | undefined => {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return LONGEST_FIRST.find(([beginning]) => name.startsWith(beginning))?.[1]
}
