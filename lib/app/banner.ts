import type { ProviderStatus } from '../ports/model.ts'

type Facts = {
  url: string
  mode: string
  version: string
  providers: readonly Pick<ProviderStatus, 'demo'>[]
  model: { provider: string; model: string }
  agents: readonly string[]
  data: string
}

/** What `npm start` says: where it is, what it runs on, and one thing to try. */
export const banner = ({ url, mode, version, providers, model, agents, data }: Facts): string => {
  const demo = providers.some((provider) => provider.demo)
  const lines = [
    `agent-task-service ${version} on ${url}, mode ${mode}`,
    `  model   ${demo ? 'scripted demo model, not an AI: set ANTHROPIC_API_KEY or another key for a real one' : `${model.provider}/${model.model}`}`,
    `  agents  ${agents.join(', ')}`,
    `  data    ${data}`,
    'Try it:',
    `  curl -X POST ${url}/api/tasks -H 'content-type: application/json' \\`,
    `    -d '{"title": "Hello", "prompt": "Write a note about this workspace"}'`,
  ]
  return `${lines.join('\n')}\n`
}
