import type { Config } from '../config.ts'
import { createTokens } from '../tokens/service.ts'
import type { Entry, EntryPorts } from './entry.ts'

/** API tokens, as people make and revoke them. */
export const joinTokens = ({ audit }: Pick<Entry, 'audit'>, ports: EntryPorts, config: Config) =>
  createTokens({ ...ports, callsPerMinute: config.GATEWAY_RATE_LIMIT_RPM, audit: audit.record })
