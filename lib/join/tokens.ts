import { createTokens } from '../tokens/service.ts'
import type { Entry, EntryPorts } from './entry.ts'

/** API tokens, as people make and revoke them. */
export const joinTokens = ({ audit }: Pick<Entry, 'audit'>, ports: EntryPorts) =>
  createTokens({ ...ports, audit: audit.record })
