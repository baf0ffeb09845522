import { createClock } from '../adapters/node/clock.ts'
import { entropy } from '../adapters/node/entropy.ts'
import { createOutboundCheck } from '../adapters/node/outbound-check.ts'
import { createRepositories } from '../adapters/node/repositories.ts'
import type { Config } from '../config.ts'
import type { Gateway } from '../gateway/service.ts'
import { codeHostPlace } from '../join/code-host.ts'
import { type Sending, withoutSending } from './cloud.ts'
import { openCloudCipher } from './cloud-cipher.ts'

/** Of a function that takes tasks, and the repositories that they name. */
export const openTasking = (config: Config): Sending => ({
  ...withoutSending,
  repositories: openRepositories(config),
})

/** The repositories that tasks may name, as the settings have it. */
export const openRepositories = (config: Config) => {
  const { OUTBOUND_ALLOW_HOSTS: allow, REPOSITORY_ROOTS: roots } = config
  return createRepositories({ clock: createClock(), allow, roots, ...codeHostPlace(config) })
}

/** Of a function that takes tasks, and the addresses and secrets which others send to and with. */
export const openAccepting = (config: Config): Sending => {
  const clock = createClock()
  const { check } = createOutboundCheck({ clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  return {
    ...openTasking(config),
    cipher: openCloudCipher(config, { entropy, clock }),
    outbound: { ...withoutSending.outbound, check },
  }
}

/**
 * How long a request may wait for its task, or for the first byte of a model's answer: of the functions behind the HTTP
 * API, which end after 29 s, and of the streaming one, on which the distribution gives up after two minutes of silence.
 * Storing the task, or the turn, is not counted.
 */
export const LONGEST_WAIT_MS = { function: 20_000, streaming: 105_000 } as const

/** The gateway as it waits in a function: before the HTTP API gives up, the caller is told the state of the task. */
export const waitingAtMost = <G extends Pick<Gateway, 'waitFor'>>(longestMs: number, gateway: G): G => ({
  ...gateway,
  waitFor: (taskId: string, forMs: number, signal?: AbortSignal) =>
    gateway.waitFor(taskId, Math.min(forMs, longestMs), signal),
})
