import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Problem } from '../../components/problem.tsx'
import { Article } from './article.tsx'
import { guideAt } from './guides.ts'
import { Page } from './page.tsx'

export const GuideView = () => {
  const { group, page } = useParams({ from: '/docs/$group/$page' })
  const guide = guideAt(group, page)
  const { data, error, refetch } = useQuery({
    queryKey: ['docs', group, page],
    queryFn: () => guide?.load() ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Page title={guide?.title ?? 'This page does not exist'}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {data && <Article nodes={data} group={group} page={page} />}
    </Page>
  )
}
