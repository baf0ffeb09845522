/** The broker as a provider of Codex, whose key is in the environment: https://developers.openai.com/codex/config-reference */
export const codexProvider = (origin: string) => ({
  name: 'Broker',
  base_url: `${origin}/openai/v1`,
  env_key: 'OPENAI_API_KEY',
  wire_api: 'responses',
})
