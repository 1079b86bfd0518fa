/** How the signing secret of a provider is changed, in the words of `provider-steps.ts`. From docs/providers/*.md. */
export interface ProviderRotation {
  /** Where the new secret comes from. */
  obtain: string;
  /** What makes the provider use it. */
  change: string;
  /** How long the previous secret stays, if that is longer than until no webhook uses it. */
  keep?: string;
}

const rotations = new Map(
  Object.entries<ProviderRotation>({
    generic: {
      obtain: 'Generate a new secret here, or choose one.',
      change: 'Give the new secret to the sender.',
    },
    adyen: {
      obtain: 'At Adyen, generate a new HMAC key in the settings of the webhook, under **Security**, and copy it.',
      change: 'Save the new key at Adyen.',
      keep: 'Queued events still have the old key: keep the previous secret for some days.',
    },
    github: {
      obtain: 'Generate a new secret here. GitHub takes any text.',
      change: 'Type the new secret into **Settings → Webhooks** and save. GitHub uses it at once.',
    },
    gitlab: {
      obtain: 'Generate a new signing token in the settings of the webhook, or choose a new secret token.',
      change: 'Save the new token at GitLab. GitLab has one token at a time.',
    },
    hmac: {
      obtain: 'Make a new key at the sender, or generate one here.',
      change: 'Let the sender sign with the new key.',
    },
    intercom: {
      obtain: 'Change the client secret in the Developer Hub, under **Basic information**. It is used for OAuth too.',
      change: 'Intercom uses the new secret at once. It may send again what was refused in between.',
    },
    mailgun: {
      obtain: 'Make a new signing key at Mailgun, under **API security**.',
      change: 'Mailgun uses the new key at once. It sends again within minutes what was refused in between.',
      keep: 'Retries still have the old signature: keep the previous secret for eight hours.',
    },
    meta: {
      obtain: 'Reset the app secret in the App Dashboard, under **App settings → Basic**.',
      change: 'Meta uses the new secret at once. It sends refused webhooks again.',
    },
    sendgrid: {
      obtain: 'Switch **Signature Verification** off and on again, and look whether it shows a new key.',
      change: 'SendGrid uses the new key at once. It sends refused webhooks again.',
    },
    shopify: {
      obtain: 'Make a second client secret in the Dev Dashboard, under **Settings → Credentials**.',
      change: 'Revoke the old client secret at Shopify after you saved the new one here.',
      keep: 'Shopify may need an hour until it uses the new one: keep the previous secret for longer.',
    },
    slack: {
      obtain: 'Choose **Regenerate** next to the signing secret. Slack uses the new secret at once.',
      change: 'Nothing more to do at Slack. It sends again the events that were refused in between.',
    },
    standard: {
      obtain: 'Rotate the signing secret at the sender and copy the new one.',
      change: 'Nothing more to do: most senders sign with both secrets for a while.',
    },
    stripe: {
      obtain: 'Choose **Roll secret** at the endpoint. The old secret can stay valid for up to 24 hours.',
      change: 'Nothing more to do: until the old secret expires, Stripe signs with both.',
    },
    support_chat: {
      obtain: 'Generate a new key here, or choose one.',
      change: 'In the settings of the chat, change the key in the address.',
    },
    twilio: {
      obtain: 'Create a secondary auth token in the Twilio Console.',
      change: 'Promote the secondary token. Twilio signs with it from that moment.',
    },
    vonage: {
      obtain: 'Make a new signature secret in the Vonage dashboard, under **API Settings**.',
      change: 'Vonage uses the new secret at once. It retries for a day.',
    },
  }),
);

/** For providers of a later release. */
const otherProvider: ProviderRotation = {
  obtain: 'Make a new secret at the provider.',
  change: 'Let the provider use the new secret.',
};

export const rotationOf = (provider: string): Required<ProviderRotation> => ({
  keep: 'Keep the previous secret until no webhook uses it.',
  ...(rotations.get(provider) ?? otherProvider),
});
