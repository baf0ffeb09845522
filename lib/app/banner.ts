import type { ProviderStatus } from '../ports/model.ts'

type Facts = {
  /** Where it listens. */
  url: string
  /** Where people find it, when that is elsewhere. */
  publicUrl?: string | undefined
  mode: string
  version: string
  providers: readonly Pick<ProviderStatus, 'demo'>[]
  model: { provider: string; model: string }
  agents: readonly string[]
  data: string
  signIn?: SignIn
}

/** What a caller has to do before the service answers: nothing, or sign in as the mode asks. */
export type SignIn = 'open' | 'key' | 'signup' | 'login' | 'oidc' | 'oidc-no-admin' | 'nobody'

type Try = readonly [request: string, body: string]

const toTry: Readonly<Record<Exclude<SignIn, 'nobody'>, Try>> = {
  open: ['POST /api/tasks', '{"title": "Hello", "prompt": "Write a note about this workspace"}'],
  key: ['POST /api/auth/verify-access-key', '{"key": "…"}'],
  signup: ['POST /api/auth/signup', '{"email": "you@example.com", "password": "…", "name": "You"}'],
  login: ['POST /api/auth/login', '{"email": "you@example.com", "password": "…"}'],
  oidc: ['GET /api/auth/oidc', ''],
  'oidc-no-admin': ['GET /api/auth/oidc', ''],
}

const NOBODY = [
  'Nobody can sign in: there is no account yet, and registration is closed.',
  'Start once with REGISTRATION_MODE=invite: whoever signs up first is the admin.',
]

const NO_ADMIN =
  'No admin can sign in by this issuer: start once with AUTH_MODE=cloud, and link an admin’s account at /api/auth/oidc.'

/** What `npm start` says: where it is, what it runs on, and one thing to try. */
export const banner = (facts: Facts): string => {
  const { url, publicUrl, mode, version, providers, model, agents, data, signIn = 'open' } = facts
  const demo = providers.some((provider) => provider.demo)
  const lines = [
    `agent-task-service ${version} on ${url}, mode ${mode}`,
    ...(publicUrl === undefined ? [] : [`  public  ${publicUrl}`]),
    `  model   ${demo ? 'scripted demo model, not an AI: set ANTHROPIC_API_KEY or another key for a real one' : `${model.provider}/${model.model}`}`,
    `  agents  ${agents.join(', ')}`,
    `  data    ${data}`,
    ...(signIn === 'oidc-no-admin' ? [NO_ADMIN] : []),
    ...(signIn === 'nobody' ? NOBODY : ['Try it:', ...curlOf(publicUrl ?? url, ...toTry[signIn])]),
  ]
  return `${lines.join('\n')}\n`
}

const curlOf = (url: string, request: string, body: string): string[] => {
  const [method = '', path = ''] = request.split(' ')
  if (body === '') return [`  open ${url}${path} in a browser`]
  return [`  curl -X ${method} ${url}${path} -H 'content-type: application/json' \\`, `    -d '${body}'`]
}
