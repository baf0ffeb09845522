import type * as z from 'zod'
import { definedFields } from '../core/defined-fields.ts'
import { invalid, missing, Problem, refuseEarly } from '../core/errors.ts'
import { addressNetwork } from '../core/network.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Limit, Limiter } from '../limits/limiter.ts'
import type { Clock } from '../ports/clock.ts'
import type { Decision, Requests } from './requests.ts'
import type { PairingRow } from './rows.ts'
import type { PairingRequestSchema, PairingState } from './schema.ts'

const LONGEST_HOST = 261

const pairingUrl = (code: string, baseUrl: string): string => {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : ''
  if (host === '' || host.length > LONGEST_HOST)
    throw invalid([{ path: 'host', message: 'must name the service' }], 'host_unknown')
  return `svc://pair?${new URLSearchParams({ code, host })}`
}

const qrSvg = async (text: string): Promise<string> => {
  // Loaded at the first request: nothing else needs it.
  const { toString: draw } = await import('qrcode')
  return draw(text, { type: 'svg', errorCorrectionLevel: 'M' })
}

const WRONG_CODES: Limit = { name: 'pairingCode', calls: 10, windowMs: 600_000 }

const noSuchCode = () =>
  new Problem(
    'missing',
    'pairing_code_not_found',
    'This code is wrong, used or expired. Check it, or request a new one on the device',
  )

const SCANNED = 'qr'

type Needs = {
  requests: Requests
  limiter: Limiter
  deviceToken: (approved: PairingRow) => Promise<string | undefined>
  clock: Clock
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}
export type Approver = { principal: Principal; address: string }

/** Pairs devices: a device asks and shows a code, and the user enters the code. */
export const createPairing = ({ requests, limiter, deviceToken, clock, audit }: Needs) => {
  /** A request whose code is in a QR code, with the address for the scanner. */
  const qr = async ({ address, baseUrl }: { address: string; baseUrl: string }) => {
    // An invalid address must not cost a slot.
    pairingUrl('', baseUrl)
    const { code, requestId, expiresAt } = await requests.create({ requesterId: SCANNED, address })
    const url = pairingUrl(code, baseUrl)
    return { qrSvg: await qrSvg(url), pairingUrl: url, requestId, expiresAt }
  }

  /** Counts a code before it is read: concurrent guesses are limited too. Throws Problem `rate_limited`. */
  const countCode = async (approver: Approver): Promise<void> => {
    const waitMs = await limiter.takeAll(WRONG_CODES, limitKeys(approver))
    refuseEarly(waitMs, 'Too many wrong pairing codes. Try again in 10 minutes.')
  }

  /** Decides about the request of a counted code. Throws Problem `missing` for a wrong, used or expired one. */
  const decide = async (approver: Approver, code: string, decision: Decision): Promise<PairingRow> => {
    const row = await requests.decide(code, decision)
    if (row === undefined) throw noSuchCode()
    // The code has taken effect: a limit that stays stricter by one for ten minutes does not undo it.
    await Promise.allSettled(limitKeys(approver).map((key) => limiter.giveBack(WRONG_CODES, key)))
    const { id, requesterId } = row
    const action = decision.status === 'approved' ? 'device.approve' : 'device.reject'
    await audit(approver.principal, action, { id, requesterId })
    return row
  }

  /** Allows the device to act for the caller. Throws as `decide` does. */
  const approve = async (approver: Approver, code: string) => {
    const { userId: approvedBy } = approver.principal
    const approvedAt = iso(clock.now())
    return toPairingRequest(await decide(approver, code, { status: 'approved', approvedAt, approvedBy }))
  }

  const toPairingRequest = (row: PairingRow): z.input<typeof PairingRequestSchema> => {
    const { id, requesterId, meta, address, createdAt, expiresAt, approvedAt, approvedBy } = row
    const status = requests.currentStatus(row)
    return { id, requesterId, status, address, createdAt, expiresAt, meta, approvedAt, approvedBy }
  }

  /** Refuses the device. Throws as `decide` does. */
  const reject = async (approver: Approver, code: string, reason: string | undefined): Promise<void> => {
    await decide(approver, code, { status: 'rejected', ...definedFields({ reason }) })
  }

  /** The state of a request, for its device; it has the token until the request expires. */
  const status = async (requestId: string): Promise<PairingState> => {
    const row = await requests.find(requestId)
    if (row === undefined) throw missing('Pairing request')
    const { approvedAt, reason } = row
    const state = { status: requests.currentStatus(row), approvedAt, reason }
    if (row.status !== 'approved' || !requests.isInTime(row)) return state
    const token = await deviceToken(row)
    if (token === undefined) throw missing('Pairing request')
    return { ...state, token }
  }

  return {
    countRequest: requests.count,
    request: requests.create,
    qr,
    countCode,
    approve,
    reject,
    status,
    toPairingRequest,
  }
}

/** Wrong codes count for the user across all sessions, and for the address across all users. */
const limitKeys = ({ principal: { userId }, address }: Approver) => [
  `user:${userId}`,
  `address:${addressNetwork(address)}`,
]
