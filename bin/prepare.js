/**
 * After `npm ci`: builds the page, and starts the service once so that later starts are quick. `npx agent-tasks` makes a link to
 * the checkout in its cache, for which npm runs this as well: all of it is there already.
 */
if (process.env.npm_command !== 'exec') {
  await import('../functions/ui/prepare.js')
  await import('./warm.js')
}
