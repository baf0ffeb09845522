import { ROSTER_ID, rosters } from '../accounts/rows.ts'
import type { AuthContext } from '../composition/auth.ts'
import { type Config, environmentSecrets } from '../config/config.ts'
import { findExposure } from '../config/exposure.ts'
import { badSetting } from '../core/bad-setting.ts'
import { createMasker } from '../core/masker.ts'
import { SHORTEST_MASKED } from '../core/secret-forms.ts'
import { terminalText } from '../core/terminal-text.ts'
import type { Log } from '../ports/log.ts'
import type { ProviderStatus } from '../ports/model.ts'
import type { Store } from '../ports/store.ts'

type Facts = {
  url: string
  /** The public address, if it differs. */
  publicUrl?: string | undefined
  mode: string
  version: string
  providers: readonly Pick<ProviderStatus, 'demo'>[]
  model: { provider: string; model: string }
  agents: readonly string[]
  data: string
  /** `off`: runners run the tasks, and this process none. */
  worker?: Config['WORKER']
  signIn?: SignIn
  /** Whether people read the text on a terminal. */
  onTerminal?: boolean
}

/** How a caller gets access: freely, or by the sign-in of the mode. */
type SignIn = 'open' | 'key' | 'signup' | 'login' | 'oidc' | 'oidc-no-admin' | 'closed'

type Try = readonly [request: string, body: string]

const toTry: Readonly<Record<Exclude<SignIn, 'closed'>, Try>> = {
  open: ['POST /api/tasks', '{"title": "Hello", "prompt": "Write a note about this workspace"}'],
  key: ['POST /api/auth/verify-access-key', '{"key": "…"}'],
  signup: ['POST /api/auth/signup', '{"email": "you@example.com", "password": "…", "name": "You"}'],
  login: ['POST /api/auth/login', '{"email": "you@example.com", "password": "…"}'],
  oidc: ['GET /api/auth/oidc', ''],
  'oidc-no-admin': ['GET /api/auth/oidc', ''],
}

const CLOSED = [
  'No one can sign in: there is no account, and sign-up is closed.',
  'Start once with REGISTRATION_MODE=invite: the first account is the admin.',
]

const BUILT_IN = 'coding-agent'

const DEMO = 'scripted demo model, not an AI: add a key under Settings, Models, or set ANTHROPIC_API_KEY'

const NO_ADMIN =
  'No admin can sign in with this issuer. Start once with AUTH_MODE=cloud, and link the account of an admin at /api/auth/oidc.'

/** The text that `npm start` prints: the address, the environment, and a first command to try. */
export const banner = (facts: Facts): string => {
  const { url, publicUrl, mode, version, providers, model, agents, data, signIn = 'open' } = facts
  const address = publicUrl ?? url
  const demo = providers.some((provider) => provider.demo)
  const answering = demo ? DEMO : `${model.provider}/${model.model}`
  const isOnRunners = facts.worker === 'off'
  const lines = [
    `agent-task-service ${version} on ${url}, mode ${mode}`,
    ...(publicUrl === undefined ? [] : [`  public  ${publicUrl}`]),
    ...(isOnRunners
      ? ['  tasks   run on runners (WORKER=off)', `  chat    ${answering}`]
      : [`  model   ${answering}`, `  agents  ${agents.join(', ')}`]),
    `  data    ${data}`,
    ...(signIn === 'oidc-no-admin' ? [NO_ADMIN] : []),
    ...(facts.onTerminal ? [`Open ${address} in a browser.`] : []),
    ...(isOnRunners ? runnerLines(address) : []),
    ...(facts.onTerminal && !isOnRunners ? missingParts({ demo, agents, address }) : []),
    ...(signIn === 'closed' ? CLOSED : ['Try it:', ...curlLines(address, ...toTry[signIn])]),
  ]
  return terminalText(`${lines.join('\n')}\n`)
}

const runnerLines = (address: string) => [
  'Tasks wait until a runner takes them. Start one, with an API token of the scope runner:',
  `  RUNNER_TOKEN=svc_… npx agent-tasks runner --url ${address} --name build-1`,
]

/** What a first task by a real agent lacks. */
const missingParts = ({
  demo,
  agents,
  address,
}: {
  demo: boolean
  agents: readonly string[]
  address: string
}) => {
  if (agents.length === 0)
    return [`No agent is set up, so tasks wait. See what each one needs at ${address}/agents`]
  if (!demo) return []
  return [
    `No model key yet. Add one at ${address}/settings/models (no restart needed).`,
    ...(agents.some((type) => type !== BUILT_IN)
      ? []
      : [`To install Claude Code, Codex and other agents, see ${address}/agents`]),
  ]
}

const curlLines = (url: string, request: string, body: string): string[] => {
  const [method = '', path = ''] = request.split(' ')
  if (body === '') return [`  open ${url}${path} in a browser`]
  return [`  curl -X ${method} ${url}${path} -H 'content-type: application/json' \\`, `    -d '${body}'`]
}

/** Throws when a service without sign-in, in which every caller is an admin, would be reachable from other machines. */
export const refuseOpenHost = ({ identity }: Pick<AuthContext, 'identity'>, config: Config): void => {
  try {
    identity.isOpen()
  } catch {
    const [name, value] = findExposure(config) ?? ['HOST', config.HOST]
    throw badSetting(
      `${name}: without an access key, the service is only for this machine, on loopback and without a proxy, which ` +
        `${value} is not. Set ACCESS_KEY, or set AUTH_MODE to cloud or oidc`,
    )
  }
}

type Known = Pick<AuthContext, 'authMode' | 'hasAccessKey' | 'issuerBringsAdmin' | 'settings'>

export const signInMethod = async (
  { authMode, hasAccessKey, issuerBringsAdmin, settings }: Known,
  store: Store,
): Promise<SignIn> => {
  const mode = authMode()
  if (mode === 'local') return hasAccessKey() ? 'key' : 'open'
  const hasAccounts = (await store.get(rosters, ROSTER_ID)) !== undefined
  if (!hasAccounts && settings.current().system.registrationMode === 'closed') return 'closed'
  if (mode === 'oidc') return hasAccounts && !(await issuerBringsAdmin()) ? 'oidc-no-admin' : 'oidc'
  return hasAccounts ? 'login' : 'signup'
}

/** Writes one line on standard error where there is no log. Messages of modules may have several, and secrets. */
export const complain = (text: string): void => {
  const masker = createMasker(environmentSecrets())
  process.stderr.write(`${terminalText(masker.logText(text.replace(/\s+/g, ' ')))}\n`)
}

/**
 * Warns when people sign in with a provider and PUBLIC_URL is not set: the address that the provider sends them back
 * to, with their code, is then made of the `Host` header of each request.
 */
export const warnOfGuessedAddress = (
  config: Pick<Config, 'PUBLIC_URL' | 'OIDC_CLIENT_ID' | 'accounts'>,
  { authMode }: Pick<AuthContext, 'authMode'>,
  log: Log,
): void => {
  const accounts = Object.entries(config.accounts).filter(([, { clientId }]) => clientId !== undefined)
  const providers = [
    ...(config.OIDC_CLIENT_ID === undefined ? [] : ['oidc']),
    ...accounts.map(([name]) => name),
  ]
  if (config.PUBLIC_URL !== undefined || authMode() === 'local' || providers.length === 0) return
  log.warn(
    { providers },
    'PUBLIC_URL is not set, but people sign in with a provider. Set it to the address they use',
  )
}

/** Names the settings whose secret is too short to mask in texts: ordinary words would contain it. */
export const warnOfShortSecrets = ({ tooShortToMask: settings }: Config, log: Log): void => {
  if (settings.length > 0)
    log.warn(
      { settings },
      `these secrets have fewer than ${SHORTEST_MASKED} characters, so they are not masked in the output of agents`,
    )
}
