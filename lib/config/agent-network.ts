import { list } from './values.ts'

/** Whether programs of agents reach no host, every public one, or those of a list. */
export type AgentNetwork = 'off' | 'on' | readonly string[]

const MOST_HOSTS = 1_000
const NAME = /^[^\s/:@?#[\]*%\\]+$/
const ADDRESS = /^\[[\da-f:.]+\]$/i

/**
 * A host as programs ask for it: in ASCII and small letters, without a dot at its end. Undefined for what is none, and for a
 * word without a dot, which is more likely a mistake.
 */
const hostName = (given: string): string | undefined => {
  const [wildcard, bare] = given.startsWith('*.') ? ['*.', given.slice(2)] : ['', given]
  if (!NAME.test(bare) && !ADDRESS.test(bare)) return undefined
  const { hostname } = URL.parse(`https://${bare}`) ?? {}
  if (hostname === undefined || /^\.|\.\./.test(hostname)) return undefined
  const isAddress = /^\[|^[\d.]+$/.test(hostname)
  if (isAddress ? wildcard !== '' : !hostname.includes('.') && hostname !== 'localhost') return undefined
  return wildcard + hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** `off`, `on`, or hosts separated by commas; `*.example.com` stands for all hosts below `example.com`. */
export const agentNetwork = list.transform((given, context): AgentNetwork => {
  const [only, ...others] = given
  if (only === undefined) return 'off'
  if (others.length === 0 && (only === 'off' || only === 'on')) return only
  const hosts = given.map(hostName)
  const wrong = given.find((_, at) => hosts[at] === undefined)
  if (wrong !== undefined)
    context.addIssue({
      code: 'custom',
      message: `"${wrong}" is not a host. Use off, on, or hosts such as registry.npmjs.org and *.example.com, separated by commas`,
    })
  if (given.length > MOST_HOSTS)
    context.addIssue({ code: 'custom', message: `must have at most ${MOST_HOSTS} hosts` })
  return [...new Set(hosts.filter((host) => host !== undefined))]
})
