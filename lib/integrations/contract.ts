import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import {
  CodehostStatusSchema,
  ListedProviderSchema,
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
    summary: 'Read how agents search the web, and by which providers they could',
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
    summary: 'Change how agents search the web; what is left out stays as it is',
    about: 'A key that is sent as it was shown, with its asterisks, stays.',
    access: 'admin',
    body: WebSearchChangeSchema,
    response: z.object({ message: z.string(), status: WebSearchStatusSchema }),
  },
})

export const connectionRoutes = defineRoutes({
  getCodehostConnection: {
    method: 'GET',
    path: '/api/integrations/codehost',
    summary: 'Read the status of your account with the code host',
    about: 'Tokens are never shown.',
    access: 'session',
    response: CodehostStatusSchema,
  },
  getTrackeraConnection: {
    method: 'GET',
    path: '/api/integrations/trackera',
    summary: 'Read the status of your account with the first tracker',
    about: 'Tokens are never shown.',
    access: 'session',
    response: TrackeraStatusSchema,
  },
  getTrackerbConnection: {
    method: 'GET',
    path: '/api/integrations/trackerb',
    summary: 'Read the status of your account with the second tracker',
    about: 'Tokens are never shown.',
    access: 'session',
    response: TrackerbStatusSchema,
  },
})

const disconnect = <const Path extends string>(path: Path, where: string) =>
  ({
    method: 'DELETE',
    path,
    summary: `Revoke the tokens of your account with ${where}, and unlink it`,
    about: 'Answers 200 also where none was linked.',
    access: 'session',
    response: z.object({ message: z.string() }),
  }) as const

/** Routes that open sealed tokens. */
export const disconnectRoutes = defineRoutes({
  disconnectCodehost: disconnect('/api/integrations/codehost', 'the code host'),
  disconnectTrackera: disconnect('/api/integrations/trackera', 'the first tracker'),
  disconnectTrackerb: disconnect('/api/integrations/trackerb', 'the second tracker'),
})
