import type { Config } from '../config.ts'
import { createTokens } from '../tokens/service.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'

/** API tokens, as people make and revoke them. */
export const joinTokens = ({ audit }: Pick<AuthContext, 'audit'>, ports: AuthPorts, config: Config) =>
  createTokens({ ...ports, callsPerMinute: config.GATEWAY_RATE_LIMIT_RPM, audit: audit.record })
