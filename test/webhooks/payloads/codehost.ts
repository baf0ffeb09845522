/** Webhook payloads as GitHub documents them, whole. */
type Json = Record<string, unknown>

const url = 'https://api.github.com'
const site = 'https://github.com'

export const user = (login: string, type = 'User'): Json => ({
  login,
  id: 583_231,
  node_id: 'MDQ6VXNlcjU4MzIzMQ==',
  avatar_url: `https://avatars.githubusercontent.com/u/583231?v=4`,
  gravatar_id: '',
  url: `${url}/users/${login}`,
  html_url: `${site}/${login}`,
  type,
  user_view_type: 'public',
  site_admin: false,
})

export const label = (name: string): Json => ({
  id: 208_045_946,
  node_id: 'MDU6TGFiZWwyMDgwNDU5NDY=',
  url: `${url}/repos/acme/shop/labels/${encodeURIComponent(name)}`,
  name,
  color: 'f29513',
  default: false,
  description: null,
})

export const repository = (fullName = 'acme/shop', id = 1_296_269): Json => ({
  id,
  node_id: 'MDEwOlJlcG9zaXRvcnkxMjk2MjY5',
  name: fullName.split('/')[1],
  full_name: fullName,
  private: true,
  owner: user('acme', 'Organization'),
  html_url: `${site}/${fullName}`,
  description: 'The shop',
  fork: false,
  url: `${url}/repos/${fullName}`,
  clone_url: `${site}/${fullName}.git`,
  default_branch: 'main',
  visibility: 'private',
  topics: [],
  open_issues_count: 3,
})

export const issue = (more: Json = {}): Json => ({
  url: `${url}/repos/acme/shop/issues/12`,
  repository_url: `${url}/repos/acme/shop`,
  html_url: `${site}/acme/shop/issues/12`,
  id: 2_345_678_901,
  node_id: 'I_kwDOABPHjc6LzZ9V',
  number: 12,
  title: 'The cart forgets its last item',
  user: user('ann'),
  labels: [],
  state: 'open',
  locked: false,
  assignee: null,
  assignees: [],
  milestone: null,
  comments: 0,
  created_at: '2026-03-01T10:00:00Z',
  updated_at: '2026-03-01T10:00:00Z',
  closed_at: null,
  author_association: 'MEMBER',
  active_lock_reason: null,
  body: 'Add two items, remove one, reload.\r\n\r\nThe other one is gone too.',
  reactions: { url: `${url}/repos/acme/shop/issues/12/reactions`, total_count: 0, '+1': 0, '-1': 0 },
  timeline_url: `${url}/repos/acme/shop/issues/12/timeline`,
  performed_via_github_app: null,
  state_reason: null,
  ...more,
})

const around = { repository: repository(), organization: { login: 'acme', id: 9_919 }, sender: user('ann') }

export const issueOpened = (labels: readonly string[], more: Json = {}): Json => ({
  action: 'opened',
  issue: issue({ labels: labels.map(label), ...more }),
  ...around,
})

export const issueLabeled = (name: string, more: Json = {}): Json => ({
  action: 'labeled',
  issue: issue({ labels: [label('bug'), label(name)], ...more }),
  label: label(name),
  ...around,
})

export const issueUnlabeled = (name: string, more: Json = {}): Json => ({
  ...issueLabeled(name, { labels: [label('bug')], ...more }),
  action: 'unlabeled',
})

export const issueClosed = (more: Json = {}): Json => ({
  action: 'closed',
  issue: issue({
    labels: [label('ai-task')],
    state: 'closed',
    state_reason: 'not_planned',
    closed_at: '2026-03-01T12:00:00Z',
    updated_at: '2026-03-01T12:00:00Z',
    ...more,
  }),
  ...around,
})

export const comment = (body: string, more: Json = {}): Json => ({
  url: `${url}/repos/acme/shop/issues/comments/99`,
  html_url: `${site}/acme/shop/issues/12#issuecomment-99`,
  issue_url: `${url}/repos/acme/shop/issues/12`,
  id: 99,
  node_id: 'IC_kwDOABPHjc5Bz3fX',
  user: user('bea'),
  created_at: '2026-03-01T11:00:00Z',
  updated_at: '2026-03-01T11:00:00Z',
  author_association: 'COLLABORATOR',
  body,
  reactions: { total_count: 0 },
  performed_via_github_app: null,
  ...more,
})

export const commentCreated = (body: string, more: Json = {}, issueMore: Json = {}): Json => ({
  action: 'created',
  issue: issue(issueMore),
  comment: comment(body, more),
  ...around,
})

export const pullRequest = (more: Json = {}): Json => ({
  url: `${url}/repos/acme/shop/pulls/14`,
  id: 279_147_437,
  html_url: `${site}/acme/shop/pull/14`,
  diff_url: `${site}/acme/shop/pull/14.diff`,
  number: 14,
  state: 'open',
  locked: false,
  title: 'Keep the cart between visits',
  user: user('bea'),
  body: 'Stores the cart by session.',
  labels: [],
  created_at: '2026-03-02T10:00:00Z',
  updated_at: '2026-03-02T10:00:00Z',
  draft: false,
  head: {
    label: 'acme:keep-cart',
    ref: 'keep-cart',
    sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
    user: user('acme', 'Organization'),
    repo: repository(),
  },
  base: {
    label: 'acme:main',
    ref: 'main',
    sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
    user: user('acme', 'Organization'),
    repo: repository(),
  },
  author_association: 'CONTRIBUTOR',
  auto_merge: null,
  merged: false,
  mergeable: null,
  comments: 0,
  commits: 1,
  additions: 100,
  deletions: 3,
  changed_files: 5,
  ...more,
})

export const pullRequestLabeled = (name: string, more: Json = {}): Json => ({
  action: 'labeled',
  number: 14,
  pull_request: pullRequest({ labels: [label(name)], ...more }),
  label: label(name),
  ...around,
})

export const reviewRequested = (more: Json = {}): Json => ({
  action: 'review_requested',
  number: 14,
  pull_request: pullRequest(more),
  requested_reviewer: user('cid'),
  ...around,
})

export const ping: Json = {
  zen: 'Half measures are as bad as nothing at all.',
  hook_id: 30,
  hook: {
    type: 'Repository',
    id: 30,
    name: 'web',
    active: true,
    events: ['issues', 'issue_comment', 'pull_request'],
    config: { content_type: 'json', insecure_ssl: '0', secret: '********', url: 'https://tasks.example.com' },
  },
  repository: repository(),
  sender: user('ann'),
}

export const push: Json = { ref: 'refs/heads/main', commits: [], ...around }
