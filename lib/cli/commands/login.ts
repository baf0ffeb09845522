import { randomBytes, sign } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAttest } from '../../devices/attestation.ts'
import { toDeviceIdentity } from '../../devices/identity.ts'
import { defineCommand } from '../command.ts'
import { deviceKey, type Environment, storeToken } from '../credentials.ts'
import { type Service, steadily } from '../service.ts'
import { safeLine } from '../terminal.ts'

const ASK_EVERY_MS = 1_000
const never = new AbortController().signal

/** The identity of this device, signed with its key: the person who approves can check it (POST /api/devices/verify). */
const attestDevice = (env: Environment, data: Record<string, unknown>) => {
  const { secret, publicKey } = deviceKey(env)
  const identity = {
    read: async () => toDeviceIdentity(publicKey),
    sign: async (message: Uint8Array) => sign(null, message, secret),
  }
  return createAttest({ identity, entropy: randomBytes, clock: { now: () => Date.now() } })(data)
}

export const login = defineCommand({
  name: 'login',
  usage: '[--name <device>]',
  about: 'Sign in by pairing this device. Someone who is signed in approves its code on the page.',
  details: `The Ed25519 key of this device and the session are stored in the folder agent-tasks under XDG_CONFIG_HOME or ~/.config, and only
you can read them.`,
  options: { name: { type: 'string', about: 'the name of the device; the name of this machine if not set' } },
  words: [0, 0],
  run: async ({ values: { name = hostname(), json = false }, env, terminal, service }) => {
    const connected = service()
    const attestation = await attestDevice(env, { requesterId: name, service: connected.url })
    const { deviceId } = attestation
    const body = { requesterId: name, meta: { program: 'agent-tasks', deviceId, attestation } }
    const { requestId, formatted } = await connected.client.requestPairing({ body })
    terminal.say(`Code: ${terminal.paint('bold', formatted, { said: true })}`)
    terminal.say(
      `Sign in at ${connected.url}/devices and enter it within 10 minutes. This device: ${deviceId}`,
    )
    const { status, token, reason } = await pollDecision(connected, requestId)
    if (status !== 'approved' || token === undefined)
      throw new Error(
        `The device was not approved: ${safeLine(reason ?? status)}. Try again: agent-tasks login`,
      )
    const file = storeToken(env, connected.url, token)
    if (json) terminal.json({ url: connected.url, deviceId, file })
    else terminal.out(`Signed in to ${connected.url}. The session is in ${file}.`)
  },
})

/** The state of the request after its decision. */
const pollDecision = async ({ client }: Service, requestId: string) => {
  for (;;) {
    const state = await steadily(() => client.getPairingStatus({ params: { requestId } }), never)
    if (state.status !== 'pending') return state
    await sleep(ASK_EVERY_MS)
  }
}
