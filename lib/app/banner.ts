import type { ProviderStatus } from '../ports/model.ts'

type Facts = {
  url: string
  mode: string
  version: string
  providers: readonly Pick<ProviderStatus, 'demo'>[]
  model: { provider: string; model: string }
  agents: readonly string[]
  data: string
  signIn?: SignIn
}

/** What somebody has to do before the service answers: nothing, or how the mode of sign-in has it. */
export type SignIn = 'open' | 'key' | 'cloud' | 'oidc'

const toTry: Readonly<Record<SignIn, readonly [request: string, body: string]>> = {
  open: ['POST /api/tasks', '{"title": "Hello", "prompt": "Write a note about this workspace"}'],
  key: ['POST /api/auth/verify-access-key', '{"key": "…"}'],
  cloud: ['POST /api/auth/signup', '{"email": "you@example.com", "password": "…", "name": "You"}'],
  oidc: ['GET /api/auth/oidc', ''],
}

/** What `npm start` says: where it is, what it runs on, and one thing to try. */
export const banner = (facts: Facts): string => {
  const { url, mode, version, providers, model, agents, data, signIn = 'open' } = facts
  const demo = providers.some((provider) => provider.demo)
  const lines = [
    `agent-task-service ${version} on ${url}, mode ${mode}`,
    `  model   ${demo ? 'scripted demo model, not an AI: set ANTHROPIC_API_KEY or another key for a real one' : `${model.provider}/${model.model}`}`,
    `  agents  ${agents.join(', ')}`,
    `  data    ${data}`,
    'Try it:',
    ...curlOf(url, ...toTry[signIn]),
  ]
  return `${lines.join('\n')}\n`
}

const curlOf = (url: string, request: string, body: string): string[] => {
  const [method = '', path = ''] = request.split(' ')
  if (body === '') return [`  open ${url}${path} in a browser`]
  return [`  curl -X ${method} ${url}${path} -H 'content-type: application/json' \\`, `    -d '${body}'`]
}
