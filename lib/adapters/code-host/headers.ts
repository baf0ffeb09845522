/** The headers of a request to GitHub's REST API. */
export const codeHostHeaders = (token: string) => ({
  accept: 'application/vnd.github+json',
  'content-type': 'application/json',
  'user-agent': 'agent-task-service',
  'x-github-api-version': '2022-11-28',
  authorization: `Bearer ${token}`,
})
