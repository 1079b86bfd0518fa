import {
  type ConverterHint,
  DefaultPayloadConverter,
  type Payload,
  type SerializationContext,
} from '@temporalio/common';

const nothing = new DefaultPayloadConverter().toPayload(undefined);

/**
 * Decodes as the SDK does, but what it cannot decode is `undefined`. A signal that was sent by hand may have an encoding
 * that the SDK does not know, or broken JSON. The SDK's error would fail the workflow's task for ever, before the handler
 * of the signal is called. `message-checks.ts` then refuses the content.
 */
class LenientPayloadConverter extends DefaultPayloadConverter {
  override fromPayload<T>(payload: Payload, context?: SerializationContext, hint?: ConverterHint<T>): T {
    try {
      return super.fromPayload<T>(payload, context, hint);
    } catch {
      return super.fromPayload<T>(nothing);
    }
  }
}

/** The bundler looks for this name. */
export const payloadConverter = new LenientPayloadConverter();
