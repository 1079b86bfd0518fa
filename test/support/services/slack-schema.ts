import { Ajv } from 'ajv';
import { object } from './json-schema.ts';

// The JSON that Slack's incoming webhooks accept, as far as the gateway could use it. Other fields are errors.
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
// https://docs.slack.dev/reference/block-kit/blocks (and the page of each block, for its limits)

/** A message that Slack accepts. */
export interface SlackMessage {
  text: string;
  blocks?: { type: string }[];
  unfurl_links?: boolean;
  unfurl_media?: boolean;
  mrkdwn?: boolean;
}

// https://docs.slack.dev/reference/block-kit/composition-objects/text-object: 1 to 3000 characters; `emoji` for
// plain_text only, `verbatim` for mrkdwn only.
const plain = (maxLength: number) =>
  object(['type', 'text'], {
    type: { const: 'plain_text' },
    text: { type: 'string', minLength: 1, maxLength },
    emoji: { type: 'boolean' },
  });
const mrkdwn = (maxLength: number) =>
  object(['type', 'text'], {
    type: { const: 'mrkdwn' },
    text: { type: 'string', minLength: 1, maxLength },
    verbatim: { type: 'boolean' },
  });
const oneOfTypes = (...schemas: object[]) => ({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: schemas,
});
const text = (maxLength: number) => oneOfTypes(plain(maxLength), mrkdwn(maxLength));

const block_id = { type: 'string', minLength: 1, maxLength: 255 };
const imageUrl = { type: 'string', pattern: '^https?://\\S+$', maxLength: 3000 };

// https://docs.slack.dev/reference/block-kit/block-elements/button-element
const button = object(['type', 'text'], {
  type: { const: 'button' },
  text: plain(75),
  action_id: { type: 'string', minLength: 1, maxLength: 255 },
  url: { type: 'string', pattern: '^https?://\\S+$', maxLength: 3000 },
  value: { type: 'string', maxLength: 2000 },
  style: { enum: ['primary', 'danger'] },
  accessibility_label: { type: 'string', maxLength: 75 },
});

const image = object(['type', 'image_url', 'alt_text'], {
  type: { const: 'image' },
  image_url: imageUrl,
  alt_text: { type: 'string', maxLength: 2000 },
});

const blocks = [
  // https://docs.slack.dev/reference/block-kit/blocks/header-block
  object(['type', 'text'], { type: { const: 'header' }, block_id, text: plain(150) }),
  // https://docs.slack.dev/reference/block-kit/blocks/section-block: `text`, or else `fields`
  {
    ...object(['type'], {
      type: { const: 'section' },
      block_id,
      text: text(3000),
      fields: { type: 'array', minItems: 1, maxItems: 10, items: text(2000) },
      accessory: button,
      expand: { type: 'boolean' },
    }),
    anyOf: [
      { type: 'object', required: ['text'] },
      { type: 'object', required: ['fields'] },
    ],
  },
  // https://docs.slack.dev/reference/block-kit/blocks/context-block
  object(['type', 'elements'], {
    type: { const: 'context' },
    block_id,
    elements: { type: 'array', minItems: 1, maxItems: 10, items: oneOfTypes(plain(3000), mrkdwn(3000), image) },
  }),
  // https://docs.slack.dev/reference/block-kit/blocks/divider-block
  object(['type'], { type: { const: 'divider' }, block_id }),
  // https://docs.slack.dev/reference/block-kit/blocks/actions-block
  object(['type', 'elements'], {
    type: { const: 'actions' },
    block_id,
    elements: { type: 'array', minItems: 1, maxItems: 25, items: button },
  }),
];

const schema = {
  // With blocks, `text` is the text of push notifications, which would be empty without it.
  ...object(['text'], {
    // https://docs.slack.dev/changelog/2018-truncating-really-long-messages: longer ones are cut
    text: { type: 'string', minLength: 1, maxLength: 40_000 },
    // https://docs.slack.dev/reference/block-kit/blocks: up to 50 in a message
    blocks: { type: 'array', minItems: 1, maxItems: 50, items: oneOfTypes(...blocks) },
    unfurl_links: { type: 'boolean' },
    unfurl_media: { type: 'boolean' },
    mrkdwn: { type: 'boolean' },
  }),
};

/** Whether a value is a valid message; `errors` has the reasons if not. */
export const isSlackMessage = new Ajv({ allErrors: true, discriminator: true }).compile<SlackMessage>(schema);
