import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import {
  CodehostStatusSchema,
  ListedProviderSchema,
  ReachableRepositorySchema,
  RepositoryName,
  TrackeraStatusSchema,
  TrackerbStatusSchema,
  WebSearchChangeSchema,
  WebSearchConfigSchema,
  WebSearchStatusSchema,
} from './schema.ts'

export const integrationRoutes = defineRoutes({
  getWebSearch: {
    method: 'GET',
    path: '/api/integrations/web-search',
    summary: 'Get the web search settings',
    about: 'Includes the available providers. Keys are masked, and no provider is called.',
    access: 'session',
    response: z.object({
      config: WebSearchConfigSchema,
      status: WebSearchStatusSchema,
      providers: z.array(ListedProviderSchema),
    }),
  },
  changeWebSearch: {
    method: 'PUT',
    path: '/api/integrations/web-search',
    summary: 'Update the web search settings',
    about:
      'Omitted fields stay unchanged. A masked key, as returned with its asterisks, keeps the stored key.',
    access: 'admin',
    body: WebSearchChangeSchema,
    response: z.object({ message: z.string(), status: WebSearchStatusSchema }),
  },
})

/** Routes that open the sealed token of the caller's account. */
export const reachableRoutes = defineRoutes({
  listReachableRepositories: {
    method: 'GET',
    path: '/api/integrations/codehost/repositories',
    summary: 'List your GitHub repositories',
    about:
      'Returns the 100 most recently pushed repositories of your linked account, or none without one. Cached for five minutes.',
    access: 'session',
    response: z.object({ repositories: z.array(ReachableRepositorySchema) }),
  },
  listReachableBranches: {
    method: 'GET',
    path: '/api/integrations/codehost/branches',
    summary: 'List the branches of a GitHub repository',
    about:
      'Returns at most 100 branches that your linked account can access, or none without one. Cached for five minutes.',
    access: 'session',
    query: z.object({ repository: RepositoryName }),
    response: z.object({ branches: z.array(z.string()).meta({ examples: [['main', 'next']] }) }),
  },
})

const connection = <const Path extends string, Status extends z.ZodType>(
  path: Path,
  where: string,
  response: Status,
) =>
  ({
    method: 'GET',
    path,
    summary: `Get the status of your ${where} account`,
    about: 'Tokens are never included.',
    access: 'session',
    response,
  }) as const

export const connectionRoutes = defineRoutes({
  getCodehostConnection: connection('/api/integrations/codehost', 'GitHub', CodehostStatusSchema),
  getTrackeraConnection: connection('/api/integrations/trackera', 'Jira', TrackeraStatusSchema),
  getTrackerbConnection: connection('/api/integrations/trackerb', 'Linear', TrackerbStatusSchema),
})

const disconnect = <const Path extends string>(path: Path, where: string) =>
  ({
    method: 'DELETE',
    path,
    summary: `Unlink your ${where} account`,
    about: 'Revokes its tokens at the provider. Returns 200 even if no account was linked.',
    access: 'session',
    response: z.object({ message: z.string() }),
  }) as const

/** Routes that open sealed tokens. */
export const disconnectRoutes = defineRoutes({
  disconnectCodehost: disconnect('/api/integrations/codehost', 'GitHub'),
  disconnectTrackera: disconnect('/api/integrations/trackera', 'Jira'),
  disconnectTrackerb: disconnect('/api/integrations/trackerb', 'Linear'),
})
