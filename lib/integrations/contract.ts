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
    summary: 'Read the web search settings and the available providers',
    about: 'Keys are masked. No provider is called.',
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
    summary: 'Change the web search settings; fields that are not sent stay unchanged',
    about: 'A masked key, as shown with its asterisks, keeps the stored one.',
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
    summary: 'List the repositories that your account with the code host reaches',
    about:
      'The 100 that were pushed to last; none where you have linked no account. Answers are kept for five minutes.',
    access: 'session',
    response: z.object({ repositories: z.array(ReachableRepositorySchema) }),
  },
  listReachableBranches: {
    method: 'GET',
    path: '/api/integrations/codehost/branches',
    summary: 'List the branches of a repository that your account with the code host reaches',
    about: 'At most 100; none where you have linked no account. Answers are kept for five minutes.',
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
    summary: `Read the status of your ${where} account`,
    about: 'Tokens are never shown.',
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
    summary: `Revoke the tokens of your ${where} account and unlink it`,
    about: 'Answers 200 even if none was linked.',
    access: 'session',
    response: z.object({ message: z.string() }),
  }) as const

/** Routes that open sealed tokens. */
export const disconnectRoutes = defineRoutes({
  disconnectCodehost: disconnect('/api/integrations/codehost', 'GitHub'),
  disconnectTrackera: disconnect('/api/integrations/trackera', 'Jira'),
  disconnectTrackerb: disconnect('/api/integrations/trackerb', 'Linear'),
})
