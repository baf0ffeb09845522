type Behavior = { PathPattern: string; TargetOriginId: string }
type Distribution = { Type: string; Properties: { DistributionConfig: { CacheBehaviors?: Behavior[] } } }

/** The resources of serverless.yml, with all files and variables filled in. */
export type Resources = { Resources: Record<string, { Type: string }> }

/** Whether the distribution sends a path to the streaming function. */
export const streamedIn = ({ Resources }: Resources): ((path: string) => boolean) => {
  const patterns = Object.values(Resources)
    .filter((resource): resource is Distribution => resource.Type === 'AWS::CloudFront::Distribution')
    .flatMap(({ Properties }) => Properties.DistributionConfig.CacheBehaviors ?? [])
    .filter(({ TargetOriginId }) => TargetOriginId === 'streaming')
    .map(({ PathPattern }) => patternExpression(PathPattern))
  return (path) => patterns.some((pattern) => pattern.test(path))
}

/** In a path pattern of CloudFront, `*` stands for any characters or none, `?` for one. */
const patternExpression = (pattern: string) =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^$|()[\]\\{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )
