/**
 * After `npm ci`: builds the page, and starts the service once so that later starts are fast. `npx agent-tasks` links to
 * the checkout in its cache, and npm runs this for the link too: everything exists already.
 */
if (process.env.npm_command !== 'exec') {
  await import('../functions/ui/prepare.js')
  await import('./warm.js')
}
