import { createHash } from 'node:crypto'

/** SQS takes up to 128 letters, digits and marks of punctuation of ASCII; a space is none. */
const ALLOWED = /^[\x21-\x7e]{1,128}$/

/** The `MessageGroupId` of a group: itself where SQS takes it, else a hash of it. */
export const messageGroupId = (group: string): string =>
  ALLOWED.test(group) ? group : `sha256-${createHash('sha256').update(group).digest('base64url')}`
