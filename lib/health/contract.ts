import { defineRoutes } from '../http/route.ts'
import { DetailedHealthSchema, MetricsSchema, ReadinessSchema, SimpleHealthSchema } from './schema.ts'

export const healthRoutes = defineRoutes({
  health: {
    method: 'GET',
    path: '/api/health',
    summary: 'Whether the server runs',
    about: 'For load balancers. Nothing is checked.',
    access: 'public',
    logLevel: 'debug',
    response: SimpleHealthSchema,
  },
  readiness: {
    method: 'GET',
    path: '/api/health/ready',
    summary: 'Whether the service is fully initialized and may be sent work',
    about: 'Answers 503 with what is missing until storage and queue are ready.',
    access: 'public',
    logLevel: 'debug',
    response: ReadinessSchema,
    alsoStatus: 503,
  },
  detailedHealth: {
    method: 'GET',
    path: '/api/health/detailed',
    summary: 'The health of every component; 503 when the worst is unhealthy',
    about: 'Checked at the request.',
    access: 'session',
    logLevel: 'debug',
    response: DetailedHealthSchema,
    alsoStatus: 503,
  },
  metrics: {
    method: 'GET',
    path: '/api/health/metrics',
    summary: 'Request rates, error rates and latencies, for Prometheus when text is asked for',
    about: 'Figures of the process that answers.',
    access: 'session',
    logLevel: 'debug',
    response: MetricsSchema,
    alsoProduces: 'text/plain; version=0.0.4; charset=utf-8',
  },
})
