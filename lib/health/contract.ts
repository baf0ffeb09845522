import { defineRoutes } from '../http/route.ts'
import { DetailedHealthSchema, MetricsSchema, ReadinessSchema, SimpleHealthSchema } from './schema.ts'

export const healthRoutes = defineRoutes({
  health: {
    method: 'GET',
    path: '/api/health',
    summary: 'Check liveness',
    about: 'Returns 200 while the server runs, for load balancers. Checks nothing else.',
    access: 'public',
    logLevel: 'debug',
    response: SimpleHealthSchema,
  },
  readiness: {
    method: 'GET',
    path: '/api/health/ready',
    summary: 'Check readiness',
    about:
      'Returns 200 when the service is fully initialized. Until storage and queue are ready, returns 503 with the missing checks.',
    access: 'public',
    logLevel: 'debug',
    response: ReadinessSchema,
    alsoStatus: 503,
  },
  detailedHealth: {
    method: 'GET',
    path: '/api/health/detailed',
    summary: 'Get detailed health',
    about: 'Checks every component on request. Returns 503 if the worst is unhealthy.',
    access: 'session',
    logLevel: 'debug',
    response: DetailedHealthSchema,
    alsoStatus: 503,
  },
  metrics: {
    method: 'GET',
    path: '/api/health/metrics',
    summary: 'Get metrics',
    about:
      'Returns request rates, error rates and latencies of the process that responds; as Prometheus text if the `Accept` header prefers text.',
    access: 'session',
    logLevel: 'debug',
    response: MetricsSchema,
    alsoProduces: 'text/plain; version=0.0.4; charset=utf-8',
  },
})
