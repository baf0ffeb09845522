import { collection } from '../core/collection.ts'

/**
 * The token that hashes to `id` stands for that user, until `expiresAt` (epoch milliseconds). `deviceId` is
 * there when the token was given to a paired device, `keyProof` when ACCESS_KEY was what the session was opened with,
 * `userAgent` when a browser said what it is, and `lastSeenAt`, to within a minute, once the token was used.
 */
export type SessionRow = {
  id: string
  userId: string
  createdAt: string
  expiresAt: number
  deviceId?: string
  keyProof?: string
  userAgent?: string
  lastSeenAt?: string
}

export const sessions = collection<SessionRow>({
  name: 'sessions',
  key: 'id',
  indexes: { ofUser: { within: 'userId', by: 'createdAt' } },
  expires: 'expiresAt',
})
