/** Names that are not the kind with a capital. */
const names: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  google: 'Google Gemini',
  azure: 'Azure OpenAI',
  openrouter: 'OpenRouter',
  xai: 'xAI',
  deepseek: 'DeepSeek',
  together: 'Together AI',
}

/** The name of a provider of models by its kind: `Anthropic`. */
export const providerName = (kind: string): string =>
  names[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1)
